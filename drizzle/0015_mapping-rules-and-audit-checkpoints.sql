CREATE TABLE "mapping_rules" (
	"id" uuid PRIMARY KEY NOT NULL,
	"source" text NOT NULL,
	"value" text NOT NULL,
	"cluster_id" uuid,
	"project_id" uuid NOT NULL,
	"priority" integer DEFAULT 1000 NOT NULL,
	"enabled" boolean DEFAULT true NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "mapping_rules_match_key" UNIQUE NULLS NOT DISTINCT("source","value","cluster_id"),
	CONSTRAINT "mapping_rules_source" CHECK ("mapping_rules"."source" in ('pool', 'tag')),
	CONSTRAINT "mapping_rules_value" CHECK ("mapping_rules"."value" <> '')
);
--> statement-breakpoint
CREATE TABLE "audit_checkpoints" (
	"seq" bigint PRIMARY KEY NOT NULL,
	"hash" text NOT NULL,
	"removed" bigint NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "workloads" ADD COLUMN "project_assigned_by" text;--> statement-breakpoint
ALTER TABLE "workloads" ADD COLUMN "mapping_rule_id" uuid;--> statement-breakpoint
ALTER TABLE "mapping_rules" ADD CONSTRAINT "mapping_rules_cluster_id_clusters_id_fk" FOREIGN KEY ("cluster_id") REFERENCES "public"."clusters"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mapping_rules" ADD CONSTRAINT "mapping_rules_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "mapping_rules_project_idx" ON "mapping_rules" USING btree ("project_id");--> statement-breakpoint
CREATE INDEX "mapping_rules_cluster_idx" ON "mapping_rules" USING btree ("cluster_id");--> statement-breakpoint
ALTER TABLE "workloads" ADD CONSTRAINT "workloads_mapping_rule_id_mapping_rules_id_fk" FOREIGN KEY ("mapping_rule_id") REFERENCES "public"."mapping_rules"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "workloads_mapping_rule_idx" ON "workloads" USING btree ("mapping_rule_id");--> statement-breakpoint
ALTER TABLE "users" DROP COLUMN "failed_logins";--> statement-breakpoint
ALTER TABLE "users" DROP COLUMN "locked_until";--> statement-breakpoint
ALTER TABLE "workloads" ADD CONSTRAINT "workloads_project_assigned_by" CHECK ("workloads"."project_assigned_by" in ('hand', 'rule'));--> statement-breakpoint
UPDATE "workloads" SET "project_assigned_by" = 'hand' WHERE "project_id" IS NOT NULL;
--> statement-breakpoint
-- Records whose time is up may go once a checkpoint says where the chain continues; the last 30 days never.
CREATE FUNCTION refuse_audit_removal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.seq > coalesce((SELECT max(seq) FROM audit_checkpoints), 0) OR OLD.at > now() - interval '30 days' THEN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN OLD;
END $$;
--> statement-breakpoint
DROP TRIGGER audit_records_append_only ON audit_records;
--> statement-breakpoint
CREATE TRIGGER audit_records_append_only BEFORE UPDATE ON audit_records FOR EACH ROW EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
CREATE TRIGGER audit_records_only_prunable BEFORE DELETE ON audit_records FOR EACH ROW EXECUTE FUNCTION refuse_audit_removal();
--> statement-breakpoint
CREATE TRIGGER audit_checkpoints_append_only BEFORE UPDATE OR DELETE ON audit_checkpoints FOR EACH ROW EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
CREATE TRIGGER audit_checkpoints_no_truncate BEFORE TRUNCATE ON audit_checkpoints FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
