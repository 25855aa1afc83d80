ALTER TABLE "projects" ADD CONSTRAINT "projects_of_tenant" UNIQUE("tenant_id","id");--> statement-breakpoint
ALTER TABLE "oidc_role_mappings" DROP CONSTRAINT "oidc_role_mappings_once";--> statement-breakpoint
ALTER TABLE "role_assignments" DROP CONSTRAINT "role_assignments_once";--> statement-breakpoint
ALTER TABLE "oidc_role_mappings" ADD COLUMN "project_id" uuid;--> statement-breakpoint
ALTER TABLE "role_assignments" ADD COLUMN "project_id" uuid;--> statement-breakpoint
ALTER TABLE "deployments" ADD COLUMN "project_id" uuid;--> statement-breakpoint
ALTER TABLE "policies" ADD COLUMN "project_id" uuid;--> statement-breakpoint
ALTER TABLE "security_groups" ADD COLUMN "project_id" uuid;--> statement-breakpoint
ALTER TABLE "workloads" ADD COLUMN "project_since" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "oidc_role_mappings" ADD CONSTRAINT "oidc_role_mappings_project_fk" FOREIGN KEY ("tenant_id","project_id") REFERENCES "public"."projects"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "role_assignments" ADD CONSTRAINT "role_assignments_project_fk" FOREIGN KEY ("tenant_id","project_id") REFERENCES "public"."projects"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "policies" ADD CONSTRAINT "policies_project_fk" FOREIGN KEY ("tenant_id","project_id") REFERENCES "public"."projects"("tenant_id","id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "security_groups" ADD CONSTRAINT "security_groups_project_fk" FOREIGN KEY ("tenant_id","project_id") REFERENCES "public"."projects"("tenant_id","id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "role_assignments_project_idx" ON "role_assignments" USING btree ("project_id");--> statement-breakpoint
CREATE INDEX "policies_project_idx" ON "policies" USING btree ("project_id");--> statement-breakpoint
CREATE INDEX "security_groups_project_idx" ON "security_groups" USING btree ("project_id");--> statement-breakpoint
ALTER TABLE "oidc_role_mappings" ADD CONSTRAINT "oidc_role_mappings_once" UNIQUE NULLS NOT DISTINCT("group_name","role_id","tenant_id","project_id");--> statement-breakpoint
ALTER TABLE "role_assignments" ADD CONSTRAINT "role_assignments_once" UNIQUE NULLS NOT DISTINCT("user_id","role_id","tenant_id","project_id");--> statement-breakpoint
ALTER TABLE "oidc_role_mappings" ADD CONSTRAINT "oidc_role_mappings_project" CHECK ("oidc_role_mappings"."project_id" is null or "oidc_role_mappings"."tenant_id" is not null);--> statement-breakpoint
ALTER TABLE "role_assignments" ADD CONSTRAINT "role_assignments_project" CHECK ("role_assignments"."project_id" is null or "role_assignments"."tenant_id" is not null);--> statement-breakpoint
ALTER TABLE "policies" ADD CONSTRAINT "policies_project" CHECK ("policies"."project_id" is null or "policies"."tenant_id" is not null);--> statement-breakpoint
ALTER TABLE "security_groups" ADD CONSTRAINT "security_groups_project" CHECK ("security_groups"."project_id" is null or "security_groups"."tenant_id" is not null);
--> statement-breakpoint
-- Since when a workload is in its project: written here so that no way of changing it is left out. Where workloads were before the
-- upgrade is not known, so that their past in the project begins with it.
CREATE FUNCTION note_project_since() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.project_since := CASE WHEN NEW.project_id IS NOT NULL THEN now() END;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER workloads_project_since BEFORE UPDATE OF project_id ON workloads
  FOR EACH ROW WHEN (OLD.project_id IS DISTINCT FROM NEW.project_id) EXECUTE FUNCTION note_project_since();
--> statement-breakpoint
UPDATE workloads SET project_since = now() WHERE project_id IS NOT NULL;
