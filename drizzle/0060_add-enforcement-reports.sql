CREATE TABLE "guest_filters" (
	"workload_id" uuid PRIMARY KEY NOT NULL,
	"filter_hash" text NOT NULL,
	"read_at" timestamp with time zone NOT NULL,
	"changed_at" timestamp with time zone NOT NULL,
	"unchanged_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "node_agents" ADD COLUMN "enforcement" jsonb;--> statement-breakpoint
ALTER TABLE "node_agents" ADD COLUMN "enforcement_changed_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "guest_filters" ADD CONSTRAINT "guest_filters_workload_id_workloads_id_fk" FOREIGN KEY ("workload_id") REFERENCES "public"."workloads"("id") ON DELETE cascade ON UPDATE no action;