SELECT name, value
FROM system.settings
WHERE name IN ('materialized_views_ignore_errors', 'parallel_view_processing', 'deduplicate_blocks_in_dependent_materialized_views',
    'insert_deduplicate', 'async_insert', 'optimize_on_insert', 'do_not_merge_across_partitions_select_final', 'final', 'join_use_nulls',
    'aggregate_functions_null_for_empty', 'session_timezone', 'max_execution_time', 'max_memory_usage', 'readonly')
ORDER BY name
