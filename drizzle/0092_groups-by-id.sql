-- Until now a policy or test of the installation that named a group by its name meant that of a tenant, as long as no other tenant
-- had one of this name. From now on a name means a group of the installation, and those of tenants are named by their ids, so that
-- no name which a tenant chooses changes what these policies do. They resolve to the same: live rules count as those of the new version.
WITH "meant" AS (
  SELECT g."name", min(g."id"::text) AS id FROM "security_groups" g
  WHERE g."project_id" IS NULL GROUP BY g."name" HAVING count(*) = 1 AND count(g."tenant_id") = 1
), "lists" AS (
  SELECT p."id" AS policy_id, jsonb_object_agg(side, list) AS definition
  FROM "policies" p
  CROSS JOIN LATERAL (VALUES ('sources'), ('targets')) AS sides (side)
  CROSS JOIN LATERAL (
    SELECT coalesce(jsonb_agg(coalesce('sg:' || m.id, item.endpoint) ORDER BY item.place), '[]') AS list
    FROM jsonb_array_elements_text(
      CASE WHEN jsonb_typeof(p."definition" -> side) = 'array' THEN p."definition" -> side ELSE '[]' END
    ) WITH ORDINALITY AS item (endpoint, place)
    LEFT JOIN "meant" m ON item.endpoint = 'sg:' || m."name"
  ) AS named
  WHERE p."tenant_id" IS NULL GROUP BY p."id"
), "changed" AS (
  UPDATE "policies" p
  SET "definition" = p."definition" || l.definition, "version" = p."version" + 1,
    "rules_version" = coalesce(p."rules_version", p."version")
  FROM "lists" l
  WHERE l.policy_id = p."id" AND p."definition" <> p."definition" || l.definition
  RETURNING p."id", p."version", p."definition"
)
INSERT INTO "policy_versions" ("id", "policy_id", "version", "snapshot", "reason")
SELECT gen_random_uuid(), c."id", c."version", v."snapshot" || jsonb_build_object('definition', c."definition"),
  'Groups of tenants named by their IDs'
FROM "changed" c JOIN "policy_versions" v ON v."policy_id" = c."id" AND v."version" = c."version" - 1;
--> statement-breakpoint
WITH "meant" AS (
  SELECT g."name", min(g."id"::text) AS id FROM "security_groups" g
  WHERE g."project_id" IS NULL GROUP BY g."name" HAVING count(*) = 1 AND count(g."tenant_id") = 1
), "ends" AS (
  SELECT t."id",
    (SELECT array_agg(coalesce(m.sign || 'sg:' || m.id, item.endpoint) ORDER BY item.place)
      FROM unnest(t."from") WITH ORDINALITY AS item (endpoint, place)
      LEFT JOIN LATERAL (SELECT sign, n.id FROM "meant" n, (VALUES (''), ('!')) AS signs (sign)
        WHERE item.endpoint = sign || 'sg:' || n."name") AS m ON true) AS "from",
    (SELECT array_agg(coalesce(m.sign || 'sg:' || m.id, item.endpoint) ORDER BY item.place)
      FROM unnest(t."to") WITH ORDINALITY AS item (endpoint, place)
      LEFT JOIN LATERAL (SELECT sign, n.id FROM "meant" n, (VALUES (''), ('!')) AS signs (sign)
        WHERE item.endpoint = sign || 'sg:' || n."name") AS m ON true) AS "to"
  FROM "policy_tests" t WHERE t."tenant_id" IS NULL
)
UPDATE "policy_tests" t SET "from" = e."from", "to" = e."to" FROM "ends" e
WHERE e."id" = t."id" AND (t."from" <> e."from" OR t."to" <> e."to");
