ALTER TABLE "agent_enrolments" ALTER COLUMN "node_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "agent_enrolments" ADD COLUMN "cluster_id" uuid;--> statement-breakpoint
ALTER TABLE "agent_enrolments" ADD COLUMN "node_ids" uuid[];--> statement-breakpoint
ALTER TABLE "agent_enrolments" ADD COLUMN "description" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "agent_enrolments" ADD COLUMN "created_by_name" text;--> statement-breakpoint
ALTER TABLE "agent_enrolments" ADD COLUMN "max_uses" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "agent_enrolments" ADD COLUMN "uses" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "agent_enrolments" ADD COLUMN "enrolled" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "agent_enrolments" ADD COLUMN "revoked_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "agent_enrolments" ADD COLUMN "revoked_by_name" text;--> statement-breakpoint
ALTER TABLE "ipam_imports" ADD COLUMN "changes" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "ipam_imports" ADD COLUMN "changes_total" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "ipam_imports" ADD COLUMN "plan_hash" text;--> statement-breakpoint
ALTER TABLE "ipam_imports" ADD COLUMN "preview_id" uuid;--> statement-breakpoint
ALTER TABLE "agent_enrolments" ADD CONSTRAINT "agent_enrolments_cluster_id_clusters_id_fk" FOREIGN KEY ("cluster_id") REFERENCES "public"."clusters"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "agent_enrolments_cluster_idx" ON "agent_enrolments" USING btree ("cluster_id");--> statement-breakpoint
CREATE INDEX "ip_address_history_prefix_idx" ON "ip_address_history" USING gist ("address" inet_ops);--> statement-breakpoint
ALTER TABLE "agent_enrolments" ADD CONSTRAINT "agent_enrolments_for" CHECK (("agent_enrolments"."node_id" is null) <> ("agent_enrolments"."cluster_id" is null));--> statement-breakpoint
ALTER TABLE "agent_enrolments" ADD CONSTRAINT "agent_enrolments_uses" CHECK ("agent_enrolments"."uses" between 0 and "agent_enrolments"."max_uses");--> statement-breakpoint
UPDATE "agent_enrolments" SET "uses" = 1 WHERE "used_at" IS NOT NULL;
