CREATE TABLE "coverage_marks" (
	"node_id" uuid PRIMARY KEY NOT NULL,
	"since" timestamp with time zone NOT NULL,
	"until" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "rule_hits" (
	"day" date NOT NULL,
	"policy_id" uuid NOT NULL,
	"workload_id" uuid NOT NULL,
	"rule_hash" text NOT NULL,
	"mode" text NOT NULL,
	"policy_version" integer NOT NULL,
	"rule_position" integer,
	"hits" bigint DEFAULT 0 NOT NULL,
	"last_hit_at" timestamp with time zone NOT NULL,
	CONSTRAINT "rule_hits_key" PRIMARY KEY("policy_id","day","workload_id","rule_hash","mode")
);
--> statement-breakpoint
CREATE TABLE "workload_coverage" (
	"day" date NOT NULL,
	"workload_id" uuid NOT NULL,
	"flows" bigint DEFAULT 0 NOT NULL,
	"by_policy" bigint DEFAULT 0 NOT NULL,
	"by_other_rule" bigint DEFAULT 0 NOT NULL,
	"by_audit" bigint DEFAULT 0 NOT NULL,
	"by_default" bigint DEFAULT 0 NOT NULL,
	"observed" bigint DEFAULT 0 NOT NULL,
	"conflicts" bigint DEFAULT 0 NOT NULL,
	"last_flow_at" timestamp with time zone NOT NULL,
	CONSTRAINT "workload_coverage_key" PRIMARY KEY("workload_id","day")
);
--> statement-breakpoint
ALTER TABLE "agent_heartbeats" ADD COLUMN "oldest_observed_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "coverage_marks" ADD CONSTRAINT "coverage_marks_node_id_nodes_id_fk" FOREIGN KEY ("node_id") REFERENCES "public"."nodes"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "rule_hits_workload_idx" ON "rule_hits" USING btree ("workload_id","day");--> statement-breakpoint
CREATE INDEX "rule_hits_day_idx" ON "rule_hits" USING brin ("day") WITH (pages_per_range=32);--> statement-breakpoint
CREATE INDEX "workload_coverage_day_idx" ON "workload_coverage" USING brin ("day") WITH (pages_per_range=32);