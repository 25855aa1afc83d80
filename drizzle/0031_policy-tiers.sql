ALTER TABLE "policy_placements" ADD COLUMN "tier" text;--> statement-breakpoint
ALTER TABLE "policy_placements" ADD COLUMN "priority" integer;--> statement-breakpoint
ALTER TABLE "policies" ADD COLUMN "tier" text;--> statement-breakpoint
ALTER TABLE "policies" ADD COLUMN "tenant_visibility" text DEFAULT 'rules' NOT NULL;--> statement-breakpoint
UPDATE "policies" SET "tier" = CASE WHEN "tenant_id" IS NULL THEN 'platform_first' ELSE 'tenant' END;--> statement-breakpoint
-- Rules were placed by priority alone, as if all policies were of one tier. Keeping that here tells the order that was applied
-- from the one that is wanted since, so that the difference is shown as pending and not as somebody's change.
UPDATE "policy_placements" SET "tier" = 'tenant', "priority" = coalesce(
  (SELECT (v."snapshot" ->> 'priority')::integer FROM "policy_versions" v
    WHERE v."policy_id" = "policy_placements"."policy_id" AND v."version" = "policy_placements"."policy_version"),
  (SELECT p."priority" FROM "policies" p WHERE p."id" = "policy_placements"."policy_id"), 0);--> statement-breakpoint
ALTER TABLE "policy_placements" ALTER COLUMN "tier" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "policy_placements" ALTER COLUMN "priority" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "policies" ALTER COLUMN "tier" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "policies" ADD CONSTRAINT "policies_tier" CHECK ("policies"."tier" in ('platform_first', 'tenant', 'platform_last'));--> statement-breakpoint
ALTER TABLE "policies" ADD CONSTRAINT "policies_tier_of_tenant" CHECK (("policies"."tenant_id" is null) = ("policies"."tier" <> 'tenant'));--> statement-breakpoint
ALTER TABLE "policies" ADD CONSTRAINT "policies_tenant_visibility" CHECK ("policies"."tenant_visibility" in ('hidden', 'name', 'rules'));
