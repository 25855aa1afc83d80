CREATE TABLE "suggestions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"tenant_id" uuid,
	"project_id" uuid,
	"scope" jsonb NOT NULL,
	"scope_name" text NOT NULL,
	"workload_ids" uuid[] NOT NULL,
	"reader" jsonb NOT NULL,
	"since" timestamp with time zone NOT NULL,
	"held_out_since" timestamp with time zone NOT NULL,
	"until" timestamp with time zone NOT NULL,
	"status" text DEFAULT 'queued' NOT NULL,
	"progress" real DEFAULT 0 NOT NULL,
	"findings" jsonb,
	"message" text,
	"position" real,
	"groups" jsonb,
	"widths" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"close" boolean DEFAULT true NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"change_id" uuid,
	"impact_id" uuid,
	"lease_owner" text,
	"lease_at" timestamp with time zone,
	"attempts" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"started_at" timestamp with time zone,
	"finished_at" timestamp with time zone,
	CONSTRAINT "suggestions_project" CHECK ("suggestions"."project_id" is null or "suggestions"."tenant_id" is not null),
	CONSTRAINT "suggestions_status" CHECK ("suggestions"."status" in ('queued', 'running', 'done', 'failed')),
	CONSTRAINT "suggestions_window" CHECK ("suggestions"."since" < "suggestions"."held_out_since" and "suggestions"."held_out_since" < "suggestions"."until"),
	CONSTRAINT "suggestions_finished" CHECK (("suggestions"."finished_at" is not null) = ("suggestions"."status" in ('done', 'failed')))
);
--> statement-breakpoint
ALTER TABLE "suggestions" ADD CONSTRAINT "suggestions_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "suggestions" ADD CONSTRAINT "suggestions_change_id_changes_id_fk" FOREIGN KEY ("change_id") REFERENCES "public"."changes"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "suggestions" ADD CONSTRAINT "suggestions_impact_id_impacts_id_fk" FOREIGN KEY ("impact_id") REFERENCES "public"."impacts"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "suggestions" ADD CONSTRAINT "suggestions_project_fk" FOREIGN KEY ("tenant_id","project_id") REFERENCES "public"."projects"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "suggestions_tenant_idx" ON "suggestions" USING btree ("tenant_id");--> statement-breakpoint
CREATE INDEX "suggestions_project_idx" ON "suggestions" USING btree ("project_id") WHERE "suggestions"."project_id" is not null;--> statement-breakpoint
CREATE INDEX "suggestions_change_idx" ON "suggestions" USING btree ("change_id") WHERE "suggestions"."change_id" is not null;--> statement-breakpoint
CREATE INDEX "suggestions_impact_idx" ON "suggestions" USING btree ("impact_id") WHERE "suggestions"."impact_id" is not null;--> statement-breakpoint
CREATE INDEX "suggestions_status_idx" ON "suggestions" USING btree ("status","id");