CREATE TABLE "policy_test_results" (
	"policy_test_id" uuid PRIMARY KEY NOT NULL,
	"test_version" integer NOT NULL,
	"result" text NOT NULL,
	"unknown_reason" text,
	"finding" jsonb,
	"not_filtered" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"not_filtered_total" integer DEFAULT 0 NOT NULL,
	"workload_ids" uuid[] DEFAULT '{}' NOT NULL,
	"failing_since" timestamp with time zone,
	"caused_by" jsonb,
	"checked_at" timestamp with time zone NOT NULL,
	CONSTRAINT "policy_test_results_result" CHECK ("policy_test_results"."result" in ('pass', 'fail', 'unknown')),
	CONSTRAINT "policy_test_results_failing" CHECK (("policy_test_results"."failing_since" is not null) = ("policy_test_results"."result" = 'fail'))
);
--> statement-breakpoint
CREATE TABLE "policy_tests" (
	"id" uuid PRIMARY KEY NOT NULL,
	"tenant_id" uuid,
	"project_id" uuid,
	"name" text NOT NULL,
	"expect" text NOT NULL,
	"from" text[] NOT NULL,
	"to" text[] NOT NULL,
	"protocol" text NOT NULL,
	"ports" text[] DEFAULT '{}' NOT NULL,
	"reason" text DEFAULT '' NOT NULL,
	"owner" text DEFAULT '' NOT NULL,
	"protected" boolean DEFAULT false NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "policy_tests_name_key" UNIQUE NULLS NOT DISTINCT("tenant_id","project_id","name"),
	CONSTRAINT "policy_tests_project" CHECK ("policy_tests"."project_id" is null or "policy_tests"."tenant_id" is not null),
	CONSTRAINT "policy_tests_protected" CHECK (not "policy_tests"."protected" or "policy_tests"."tenant_id" is null),
	CONSTRAINT "policy_tests_expect" CHECK ("policy_tests"."expect" in ('allow', 'deny')),
	CONSTRAINT "policy_tests_protocol" CHECK ("policy_tests"."protocol" in ('any', 'tcp', 'udp', 'tcp/udp', 'icmp', 'icmpv6', 'sctp')),
	CONSTRAINT "policy_tests_ends" CHECK (cardinality("policy_tests"."from") > 0 and cardinality("policy_tests"."to") > 0)
);
--> statement-breakpoint
ALTER TABLE "policy_test_results" ADD CONSTRAINT "policy_test_results_policy_test_id_policy_tests_id_fk" FOREIGN KEY ("policy_test_id") REFERENCES "public"."policy_tests"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "policy_tests" ADD CONSTRAINT "policy_tests_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "policy_tests" ADD CONSTRAINT "policy_tests_project_fk" FOREIGN KEY ("tenant_id","project_id") REFERENCES "public"."projects"("tenant_id","id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "policy_test_results_failing_idx" ON "policy_test_results" USING btree ("policy_test_id") WHERE "policy_test_results"."result" = 'fail';--> statement-breakpoint
CREATE INDEX "policy_test_results_workloads_idx" ON "policy_test_results" USING gin ("workload_ids");--> statement-breakpoint
CREATE INDEX "policy_tests_project_idx" ON "policy_tests" USING btree ("project_id");