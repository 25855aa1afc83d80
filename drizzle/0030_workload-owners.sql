CREATE TABLE "residual_rules" (
	"id" uuid PRIMARY KEY NOT NULL,
	"workload_id" uuid NOT NULL,
	"policy_id" uuid NOT NULL,
	"policy_name" text NOT NULL,
	"policy_version" integer NOT NULL,
	"tenant_id" uuid,
	"workload_name" text NOT NULL,
	"mode" text NOT NULL,
	"since" timestamp with time zone DEFAULT now() NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"attempted_at" timestamp with time zone,
	"problem" jsonb,
	CONSTRAINT "residual_rules_key" UNIQUE("workload_id","policy_id"),
	CONSTRAINT "residual_rules_mode" CHECK ("residual_rules"."mode" in ('remove', 'keep'))
);
--> statement-breakpoint
CREATE TABLE "workload_owners" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "workload_owners_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"workload_id" uuid NOT NULL,
	"tenant_id" uuid NOT NULL,
	"from_at" timestamp with time zone,
	"to_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "deployments" DROP CONSTRAINT "deployments_kind";--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "on_move" text DEFAULT 'remove' NOT NULL;--> statement-breakpoint
ALTER TABLE "residual_rules" ADD CONSTRAINT "residual_rules_workload_id_workloads_id_fk" FOREIGN KEY ("workload_id") REFERENCES "public"."workloads"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "residual_rules" ADD CONSTRAINT "residual_rules_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "workload_owners" ADD CONSTRAINT "workload_owners_workload_id_workloads_id_fk" FOREIGN KEY ("workload_id") REFERENCES "public"."workloads"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "workload_owners" ADD CONSTRAINT "workload_owners_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "residual_rules_tenant_idx" ON "residual_rules" USING btree ("tenant_id");--> statement-breakpoint
CREATE INDEX "workload_owners_workload_idx" ON "workload_owners" USING btree ("workload_id");--> statement-breakpoint
CREATE UNIQUE INDEX "workload_owners_one_open" ON "workload_owners" USING btree ("workload_id") WHERE to_at is null;--> statement-breakpoint
CREATE INDEX "workload_owners_moved_idx" ON "workload_owners" USING btree ("tenant_id") WHERE from_at is not null or to_at is not null;--> statement-breakpoint
ALTER TABLE "tenants" ADD CONSTRAINT "tenants_on_move" CHECK ("tenants"."on_move" in ('remove', 'keep'));--> statement-breakpoint
ALTER TABLE "deployments" ADD CONSTRAINT "deployments_kind" CHECK ("deployments"."kind" in ('apply', 'cleanup', 'removal'));
--> statement-breakpoint
-- Who owned a workload, from when to when: written here so that no way of changing its project is left out.
CREATE FUNCTION note_workload_owner() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  tenant uuid := (SELECT tenant_id FROM projects WHERE id = NEW.project_id);
  latest workload_owners%ROWTYPE;
BEGIN
  SELECT * INTO latest FROM workload_owners WHERE workload_id = NEW.id ORDER BY workload_owners.id DESC LIMIT 1;
  IF latest.id IS NOT NULL AND latest.tenant_id = tenant THEN
    -- It comes back, and nobody else had it.
    UPDATE workload_owners SET to_at = NULL WHERE workload_owners.id = latest.id AND to_at IS NOT NULL;
    RETURN NULL;
  END IF;
  UPDATE workload_owners SET to_at = greatest(now(), from_at) WHERE workload_owners.id = latest.id AND to_at IS NULL;
  IF tenant IS NOT NULL THEN
    INSERT INTO workload_owners (workload_id, tenant_id, from_at)
    SELECT NEW.id, tenant, max(to_at) FROM workload_owners WHERE workload_id = NEW.id;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER workloads_owner_at_creation AFTER INSERT ON workloads
  FOR EACH ROW WHEN (NEW.project_id IS NOT NULL) EXECUTE FUNCTION note_workload_owner();
--> statement-breakpoint
CREATE TRIGGER workloads_owner AFTER UPDATE OF project_id ON workloads
  FOR EACH ROW WHEN (OLD.project_id IS DISTINCT FROM NEW.project_id) EXECUTE FUNCTION note_workload_owner();
--> statement-breakpoint
INSERT INTO workload_owners (workload_id, tenant_id)
SELECT w.id, p.tenant_id FROM workloads w JOIN projects p ON p.id = w.project_id;
--> statement-breakpoint
-- Rules that are on workloads of others already. The upgrade removes nothing: somebody has to ask for it.
INSERT INTO residual_rules (id, workload_id, policy_id, policy_name, policy_version, tenant_id, workload_name, mode)
SELECT gen_random_uuid(), w.id, a.policy_id, o.name, a.policy_version, o.tenant_id, w.name, 'keep'
FROM policy_placements a JOIN policies o ON o.id = a.policy_id JOIN workloads w ON w.id = a.workload_id
LEFT JOIN projects p ON p.id = w.project_id
WHERE o.tenant_id IS NOT NULL AND o.tenant_id IS DISTINCT FROM p.tenant_id;
