CREATE TABLE "change_objects" (
	"change_id" uuid NOT NULL,
	"object_id" uuid NOT NULL,
	CONSTRAINT "change_objects_pair" PRIMARY KEY("change_id","object_id")
);
--> statement-breakpoint
CREATE TABLE "change_owners" (
	"id" uuid PRIMARY KEY NOT NULL,
	"change_id" uuid NOT NULL,
	"tenant_id" uuid,
	"project_id" uuid,
	CONSTRAINT "change_owners_key" UNIQUE NULLS NOT DISTINCT("change_id","tenant_id","project_id")
);
--> statement-breakpoint
CREATE TABLE "change_reviews" (
	"id" uuid PRIMARY KEY NOT NULL,
	"change_id" uuid NOT NULL,
	"actor_id" uuid NOT NULL,
	"actor_name" text NOT NULL,
	"decision" text NOT NULL,
	"tenant_ids" uuid[],
	"content_hash" text NOT NULL,
	"compiled_hash" text NOT NULL,
	"comment" text DEFAULT '' NOT NULL,
	"revoked" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "change_reviews_decision" CHECK ("change_reviews"."decision" in ('approve', 'reject'))
);
--> statement-breakpoint
CREATE TABLE "change_transitions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"change_id" uuid NOT NULL,
	"from" text,
	"to" text NOT NULL,
	"actor_id" uuid,
	"actor_name" text NOT NULL,
	"comment" text DEFAULT '' NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "change_workloads" (
	"change_id" uuid NOT NULL,
	"workload_id" uuid NOT NULL,
	"wave" integer NOT NULL,
	"wave_kind" text NOT NULL,
	CONSTRAINT "change_workloads_pair" PRIMARY KEY("change_id","workload_id")
);
--> statement-breakpoint
CREATE TABLE "changes" (
	"id" uuid PRIMARY KEY NOT NULL,
	"title" text NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"state" text DEFAULT 'draft' NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"items" jsonb NOT NULL,
	"content_hash" text NOT NULL,
	"compiled_hash" text,
	"confirm_within_seconds" integer NOT NULL,
	"waves" jsonb NOT NULL,
	"on_failure" text NOT NULL,
	"rollback_on_failed_check" boolean NOT NULL,
	"scheduled_at" timestamp with time zone,
	"within_maintenance" boolean DEFAULT false NOT NULL,
	"author_ids" uuid[] DEFAULT '{}' NOT NULL,
	"created_by" uuid,
	"created_by_name" text NOT NULL,
	"impact_id" uuid,
	"newly_blocked" integer,
	"break_glass_reason" text,
	"reverts" uuid,
	"problems" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"submitted_at" timestamp with time zone,
	"applied_at" timestamp with time zone,
	"written_at" timestamp with time zone,
	"confirm_until" timestamp with time zone,
	"finished_at" timestamp with time zone,
	"lease_owner" text,
	"lease_at" timestamp with time zone,
	"attempts" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "changes_state" CHECK ("changes"."state" in ('draft', 'in_review', 'approved', 'applying', 'awaiting_confirmation', 'confirmed', 'rejected', 'withdrawn', 'rolling_back', 'rolled_back', 'failed')),
	CONSTRAINT "changes_on_failure" CHECK ("changes"."on_failure" in ('stop', 'continue', 'rollback')),
	CONSTRAINT "changes_version" CHECK ("changes"."version" >= 1),
	CONSTRAINT "changes_timer" CHECK (("changes"."state" <> 'awaiting_confirmation') or "changes"."confirm_until" is not null)
);
--> statement-breakpoint
CREATE TABLE "drifts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"policy_id" uuid NOT NULL,
	"workload_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"subject_key" text NOT NULL,
	"subject" text NOT NULL,
	"rule_id" uuid,
	"desired" text,
	"last_applied" text,
	"live" text,
	"live_hash" text NOT NULL,
	"changed_by" text,
	"changed_at" timestamp with time zone,
	"accepted_hash" text,
	"accepted_until" timestamp with time zone,
	"accepted_reason" text,
	"accepted_by" uuid,
	"accepted_by_name" text,
	"first_seen_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_seen_at" timestamp with time zone DEFAULT now() NOT NULL,
	"resolved_at" timestamp with time zone,
	CONSTRAINT "drifts_accepted" CHECK (("drifts"."accepted_until" is null) = ("drifts"."accepted_hash" is null))
);
--> statement-breakpoint
DROP INDEX "deployments_one_waiting";--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "approvals_required" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "approval_scope" text DEFAULT 'enforcing' NOT NULL;--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "maintenance_windows" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "deployments" ADD COLUMN "change_id" uuid;--> statement-breakpoint
ALTER TABLE "deployments" ADD COLUMN "wave" integer;--> statement-breakpoint
ALTER TABLE "deployments" ADD COLUMN "workload_ids" uuid[];--> statement-breakpoint
ALTER TABLE "change_objects" ADD CONSTRAINT "change_objects_change_id_changes_id_fk" FOREIGN KEY ("change_id") REFERENCES "public"."changes"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "change_owners" ADD CONSTRAINT "change_owners_change_id_changes_id_fk" FOREIGN KEY ("change_id") REFERENCES "public"."changes"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "change_reviews" ADD CONSTRAINT "change_reviews_change_id_changes_id_fk" FOREIGN KEY ("change_id") REFERENCES "public"."changes"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "change_transitions" ADD CONSTRAINT "change_transitions_change_id_changes_id_fk" FOREIGN KEY ("change_id") REFERENCES "public"."changes"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "change_workloads" ADD CONSTRAINT "change_workloads_change_id_changes_id_fk" FOREIGN KEY ("change_id") REFERENCES "public"."changes"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "drifts" ADD CONSTRAINT "drifts_workload_id_workloads_id_fk" FOREIGN KEY ("workload_id") REFERENCES "public"."workloads"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "change_objects_object_idx" ON "change_objects" USING btree ("object_id");--> statement-breakpoint
CREATE INDEX "change_owners_tenant_idx" ON "change_owners" USING btree ("tenant_id");--> statement-breakpoint
CREATE INDEX "change_reviews_change_idx" ON "change_reviews" USING btree ("change_id","created_at");--> statement-breakpoint
CREATE INDEX "change_transitions_change_idx" ON "change_transitions" USING btree ("change_id","created_at");--> statement-breakpoint
CREATE INDEX "changes_state_idx" ON "changes" USING btree ("state","created_at");--> statement-breakpoint
CREATE INDEX "changes_reverts_idx" ON "changes" USING btree ("reverts") WHERE "changes"."reverts" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "drifts_open_key" ON "drifts" USING btree ("policy_id","workload_id","kind","subject_key") WHERE resolved_at is null;--> statement-breakpoint
CREATE INDEX "drifts_workload_idx" ON "drifts" USING btree ("workload_id");--> statement-breakpoint
CREATE INDEX "drifts_seen_idx" ON "drifts" USING btree ("first_seen_at","id");--> statement-breakpoint
CREATE INDEX "deployments_change_idx" ON "deployments" USING btree ("change_id","wave") WHERE change_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "deployments_one_waiting" ON "deployments" USING btree ("policy_id","cluster_id","kind") WHERE status = 'queued' and retry_of is null and fingerprints is null and change_id is null;--> statement-breakpoint
ALTER TABLE "tenants" ADD CONSTRAINT "tenants_approvals_required" CHECK ("tenants"."approvals_required" between 0 and 5);--> statement-breakpoint
ALTER TABLE "tenants" ADD CONSTRAINT "tenants_approval_scope" CHECK ("tenants"."approval_scope" in ('enforcing', 'all'));