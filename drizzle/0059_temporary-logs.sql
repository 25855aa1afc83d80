CREATE TABLE "temporary_logs" (
	"policy_id" uuid NOT NULL,
	"workload_id" uuid NOT NULL,
	"change_id" uuid NOT NULL,
	"level" text NOT NULL,
	"rule_hashes" text[] NOT NULL,
	CONSTRAINT "temporary_logs_pair" PRIMARY KEY("policy_id","workload_id")
);
--> statement-breakpoint
ALTER TABLE "deployments" DROP CONSTRAINT "deployments_kind";--> statement-breakpoint
DROP INDEX "changes_due_idx";--> statement-breakpoint
ALTER TABLE "changes" ADD COLUMN "log_new_rules" text;--> statement-breakpoint
ALTER TABLE "changes" ADD COLUMN "removes_log" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "temporary_logs" ADD CONSTRAINT "temporary_logs_workload_id_workloads_id_fk" FOREIGN KEY ("workload_id") REFERENCES "public"."workloads"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "temporary_logs" ADD CONSTRAINT "temporary_logs_change_id_changes_id_fk" FOREIGN KEY ("change_id") REFERENCES "public"."changes"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "temporary_logs_change_idx" ON "temporary_logs" USING btree ("change_id");--> statement-breakpoint
CREATE INDEX "temporary_logs_workload_idx" ON "temporary_logs" USING btree ("workload_id");--> statement-breakpoint
CREATE INDEX "changes_due_idx" ON "changes" USING btree ("state") WHERE state in ('applying', 'awaiting_confirmation', 'rolling_back', 'failed') or apply_request is not null or removes_log;--> statement-breakpoint
ALTER TABLE "deployments" ADD CONSTRAINT "deployments_kind" CHECK ("deployments"."kind" in ('apply', 'cleanup', 'removal', 'log_removal'));