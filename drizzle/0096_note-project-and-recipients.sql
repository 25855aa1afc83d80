ALTER TABLE "notification_deliveries" ADD COLUMN "reached" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "notifications" ADD COLUMN "project_id" uuid;--> statement-breakpoint
-- Reminders of policies of one project. Those of several stay with the tenant.
UPDATE "notifications" n SET "project_id" = p."project_id" FROM "policies" p
WHERE n."user_id" IS NOT NULL AND n."condition" IS NOT NULL AND p."project_id" IS NOT NULL
  AND p."id"::text = n."items" -> 0 ->> 'object_id' AND NOT EXISTS (
    SELECT FROM jsonb_array_elements(n."items") AS item LEFT JOIN "policies" o ON o."id"::text = item ->> 'object_id'
    WHERE o."project_id" IS DISTINCT FROM p."project_id");
