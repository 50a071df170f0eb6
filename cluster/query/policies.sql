SELECT short_name AS name, ifNull(select_filter, '') AS filter, toBool(is_restrictive) AS restrictive, toBool(apply_to_all) AS applies_to_all, apply_to_list AS applies_to
FROM system.row_policies
WHERE database = {database:String} AND (table = {table:String} OR table = '')
ORDER BY name
LIMIT 200
