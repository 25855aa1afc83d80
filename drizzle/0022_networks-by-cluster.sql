ALTER TABLE "policies" ADD COLUMN "rules_version" integer;--> statement-breakpoint
ALTER TABLE "policies" ADD CONSTRAINT "policies_rules_version" CHECK ("policies"."rules_version" between 1 and "policies"."version");--> statement-breakpoint
-- Until now network:NAME meant the networks of that name in all clusters. Every such endpoint is written out as
-- network:cluster/name for each network that it meant: those with subnets, and for a tenant those in which it has addresses.
-- The rules that this compiles to are the same, so that the live rules of the version before count as those of the new one.
WITH "named" AS (
  SELECT p."id" AS policy_id, p."tenant_id", side, item.place, item.endpoint,
    CASE WHEN item.endpoint LIKE 'network:%' THEN substr(item.endpoint, 9) END AS name
  FROM "policies" p
  CROSS JOIN LATERAL (VALUES ('sources'), ('targets')) AS sides (side)
  CROSS JOIN LATERAL jsonb_array_elements_text(
    CASE WHEN jsonb_typeof(p."definition" -> side) = 'array' THEN p."definition" -> side ELSE '[]' END
  ) WITH ORDINALITY AS item (endpoint, place)
), "visible" AS (
  SELECT DISTINCT s."network_id", j."tenant_id"
  FROM "ip_addresses" a
  JOIN "subnets" s ON s."id" = a."subnet_id"
  JOIN "workloads" w ON w."id" = a."workload_id"
  JOIN "projects" j ON j."id" = w."project_id"
  WHERE a."state" <> 'stale'
), "meant" AS (
  SELECT n.policy_id, n.side, n.place,
    array_agg('network:' || replace(replace(c."name", '%', '%25'), '/', '%2F') || '/'
      || replace(replace(net."name", '%', '%25'), '/', '%2F') ORDER BY c."name", c."id") AS endpoints
  FROM "named" n
  JOIN "networks" net ON net."name" = n.name
  JOIN "clusters" c ON c."id" = net."cluster_id"
  WHERE CASE WHEN n."tenant_id" IS NULL THEN
      EXISTS (SELECT 1 FROM "subnets" s WHERE s."network_id" = net."id")
      OR NOT EXISTS (SELECT 1 FROM "subnets" s JOIN "networks" o ON o."id" = s."network_id" WHERE o."name" = net."name")
    ELSE EXISTS (SELECT 1 FROM "visible" v WHERE v."network_id" = net."id" AND v."tenant_id" = n."tenant_id") END
  GROUP BY n.policy_id, n.side, n.place
), "written" AS (
  SELECT DISTINCT ON (n.policy_id, n.side, e.text) n.policy_id, n.side, n.place, e.nth, e.text
  FROM "named" n
  LEFT JOIN "meant" m ON m.policy_id = n.policy_id AND m.side = n.side AND m.place = n.place
  CROSS JOIN LATERAL unnest(coalesce(m.endpoints, ARRAY[
    CASE WHEN n.name IS NULL THEN n.endpoint ELSE 'network:' || replace(replace(n.name, '%', '%25'), '/', '%2F') END
  ])) WITH ORDINALITY AS e (text, nth)
  ORDER BY n.policy_id, n.side, e.text, n.place, e.nth
), "lists" AS (
  SELECT policy_id, jsonb_object_agg(side, list) AS definition FROM (
    SELECT policy_id, side, jsonb_agg(text ORDER BY place, nth) AS list FROM "written" GROUP BY policy_id, side
  ) AS by_side GROUP BY policy_id
), "changed" AS (
  UPDATE "policies" p
  SET "definition" = p."definition" || l.definition, "version" = p."version" + 1, "rules_version" = p."version"
  FROM "lists" l
  WHERE l.policy_id = p."id" AND p."definition" <> p."definition" || l.definition
  RETURNING p.*
)
INSERT INTO "policy_versions" ("id", "policy_id", "version", "snapshot", "reason")
SELECT gen_random_uuid(), c."id", c."version", jsonb_build_object(
    'name', c."name", 'description', c."description", 'enabled', c."enabled", 'priority', c."priority",
    'definition', c."definition", 'rules', coalesce((
      SELECT jsonb_agg(jsonb_build_object('id', r."id", 'position', r."position", 'action', r."action", 'protocol', r."protocol",
        'destination_ports', to_jsonb(r."destination_ports"), 'source_ports', to_jsonb(r."source_ports"),
        'icmp_type', r."icmp_type", 'log', r."log", 'enabled', r."enabled", 'comment', r."comment") ORDER BY r."position")
      FROM "security_rules" r WHERE r."policy_id" = c."id"), '[]')),
  'Networks named with their cluster'
FROM "changed" c;
