-- Marking one's notices as read was open to everybody who is signed in. Whoever may be told of anything keeps it.
update roles set permissions = array_append(permissions, 'notification:mark'), version = version + 1, updated_at = now()
where not built_in and not permissions && array['*', 'notification:mark']
  and permissions && array['cluster:read', 'agent:read', 'policy:read', 'flow:read', 'ipam:read'];
