CREATE TABLE "deployment_guests" (
	"id" uuid PRIMARY KEY NOT NULL,
	"deployment_id" uuid NOT NULL,
	"workload_id" uuid NOT NULL,
	"vmid" integer NOT NULL,
	"name" text NOT NULL,
	"status" text NOT NULL,
	"writes" integer DEFAULT 0 NOT NULL,
	"changes" jsonb,
	"problems" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"plan" jsonb,
	"state_before" jsonb,
	"started_at" timestamp with time zone,
	"finished_at" timestamp with time zone,
	CONSTRAINT "deployment_guests_key" UNIQUE("deployment_id","workload_id"),
	CONSTRAINT "deployment_guests_status" CHECK ("deployment_guests"."status" in ('queued', 'running', 'ok', 'unchanged', 'partial', 'failed', 'skipped'))
);
--> statement-breakpoint
CREATE TABLE "guest_firewalls" (
	"workload_id" uuid PRIMARY KEY NOT NULL,
	"lease_owner" text,
	"lease_at" timestamp with time zone,
	"default_in_before" text,
	"default_out_before" text
);
--> statement-breakpoint
CREATE TABLE "policy_placements" (
	"policy_id" uuid NOT NULL,
	"workload_id" uuid NOT NULL,
	"policy_version" integer NOT NULL,
	"rules" jsonb NOT NULL,
	"drop_in" boolean NOT NULL,
	"drop_out" boolean NOT NULL,
	"applied_at" timestamp with time zone,
	CONSTRAINT "policy_placements_pair" PRIMARY KEY("policy_id","workload_id")
);
--> statement-breakpoint
ALTER TABLE "deployments" ADD COLUMN "operation_id" uuid NOT NULL;--> statement-breakpoint
ALTER TABLE "deployments" ADD COLUMN "policy_name" text NOT NULL;--> statement-breakpoint
ALTER TABLE "deployments" ADD COLUMN "tenant_id" uuid;--> statement-breakpoint
ALTER TABLE "deployments" ADD COLUMN "trigger" text NOT NULL;--> statement-breakpoint
ALTER TABLE "deployments" ADD COLUMN "retry_of" uuid;--> statement-breakpoint
ALTER TABLE "deployments" ADD COLUMN "progress_done" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "deployments" ADD COLUMN "progress_total" integer;--> statement-breakpoint
ALTER TABLE "deployments" ADD COLUMN "writes" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "deployments" ADD COLUMN "problems" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "deployments" ADD COLUMN "lease_owner" text;--> statement-breakpoint
ALTER TABLE "deployments" ADD COLUMN "lease_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "deployments" ADD COLUMN "attempts" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "deployment_guests" ADD CONSTRAINT "deployment_guests_deployment_id_deployments_id_fk" FOREIGN KEY ("deployment_id") REFERENCES "public"."deployments"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "guest_firewalls" ADD CONSTRAINT "guest_firewalls_workload_id_workloads_id_fk" FOREIGN KEY ("workload_id") REFERENCES "public"."workloads"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "policy_placements" ADD CONSTRAINT "policy_placements_workload_id_workloads_id_fk" FOREIGN KEY ("workload_id") REFERENCES "public"."workloads"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "deployment_guests_workload_idx" ON "deployment_guests" USING btree ("workload_id");--> statement-breakpoint
CREATE INDEX "policy_placements_workload_idx" ON "policy_placements" USING btree ("workload_id");--> statement-breakpoint
CREATE INDEX "deployments_operation_idx" ON "deployments" USING btree ("operation_id");--> statement-breakpoint
CREATE INDEX "deployments_active_idx" ON "deployments" USING btree ("status") WHERE status in ('queued', 'running');--> statement-breakpoint
CREATE UNIQUE INDEX "deployments_one_waiting" ON "deployments" USING btree ("policy_id","cluster_id","kind") WHERE status = 'queued' and retry_of is null;--> statement-breakpoint
ALTER TABLE "deployments" ADD CONSTRAINT "deployments_finished" CHECK (("deployments"."finished_at" is not null) = ("deployments"."status" in ('ok', 'partial', 'failed')));