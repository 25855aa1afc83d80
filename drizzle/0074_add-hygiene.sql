CREATE TABLE "hygiene_checks" (
	"id" uuid PRIMARY KEY NOT NULL,
	"policy_id" uuid,
	"workload_id" uuid,
	"unknown" jsonb NOT NULL,
	CONSTRAINT "hygiene_checks_owner" CHECK (("hygiene_checks"."policy_id" is null) <> ("hygiene_checks"."workload_id" is null))
);
--> statement-breakpoint
CREATE TABLE "hygiene_findings" (
	"id" uuid PRIMARY KEY NOT NULL,
	"key" text NOT NULL,
	"kind" text NOT NULL,
	"score" integer NOT NULL,
	"policy_id" uuid,
	"policy_version" integer,
	"rule_id" uuid,
	"rule_position" integer,
	"workload_id" uuid,
	"subject" text NOT NULL,
	"workloads_affected" integer NOT NULL,
	"workloads_total" integer NOT NULL,
	"detail" jsonb NOT NULL,
	"first_seen_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_seen_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "hygiene_findings_owner" CHECK (("hygiene_findings"."policy_id" is null) <> ("hygiene_findings"."workload_id" is null))
);
--> statement-breakpoint
ALTER TABLE "hygiene_checks" ADD CONSTRAINT "hygiene_checks_policy_id_policies_id_fk" FOREIGN KEY ("policy_id") REFERENCES "public"."policies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "hygiene_checks" ADD CONSTRAINT "hygiene_checks_workload_id_workloads_id_fk" FOREIGN KEY ("workload_id") REFERENCES "public"."workloads"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "hygiene_findings" ADD CONSTRAINT "hygiene_findings_policy_id_policies_id_fk" FOREIGN KEY ("policy_id") REFERENCES "public"."policies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "hygiene_findings" ADD CONSTRAINT "hygiene_findings_workload_id_workloads_id_fk" FOREIGN KEY ("workload_id") REFERENCES "public"."workloads"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "hygiene_checks_policy_idx" ON "hygiene_checks" USING btree ("policy_id");--> statement-breakpoint
CREATE INDEX "hygiene_checks_workload_idx" ON "hygiene_checks" USING btree ("workload_id");--> statement-breakpoint
CREATE UNIQUE INDEX "hygiene_findings_key" ON "hygiene_findings" USING btree ("key");--> statement-breakpoint
CREATE INDEX "hygiene_findings_policy_idx" ON "hygiene_findings" USING btree ("policy_id");--> statement-breakpoint
CREATE INDEX "hygiene_findings_workload_idx" ON "hygiene_findings" USING btree ("workload_id");--> statement-breakpoint
CREATE INDEX "hygiene_findings_score_idx" ON "hygiene_findings" USING btree ("score","id");