SELECT setting_name AS name, any(ifNull(value, '')) AS value
FROM system.settings_profile_elements
WHERE setting_name IN {names:Array(String)} AND ifNull(value, '') NOT IN ('', '0', 'false')
GROUP BY setting_name
