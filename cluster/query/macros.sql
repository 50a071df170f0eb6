SELECT macro, substitution FROM system.macros ORDER BY macro LIMIT 100
