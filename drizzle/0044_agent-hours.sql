CREATE TABLE "agent_hours" (
	"node_id" uuid NOT NULL,
	"hour_at" timestamp with time zone NOT NULL,
	"heartbeats" integer NOT NULL,
	"interval_seconds" integer NOT NULL,
	"reported" "tstzmultirange" NOT NULL,
	"captured" "tstzmultirange" NOT NULL,
	"tracked" "tstzmultirange" NOT NULL,
	"flows_seen" bigint NOT NULL,
	"flows_left_out" bigint NOT NULL,
	"flows_rejected" bigint NOT NULL,
	"packets_seen" bigint NOT NULL,
	"packets_lost" bigint NOT NULL,
	"log_lines" bigint NOT NULL,
	"log_lines_lost" bigint NOT NULL,
	CONSTRAINT "agent_hours_node_id_hour_at_pk" PRIMARY KEY("node_id","hour_at"),
	CONSTRAINT "agent_hours_hour" CHECK (mod(extract(epoch from "agent_hours"."hour_at"), 3600) = 0)
);
--> statement-breakpoint
ALTER TABLE "node_agents" ADD COLUMN "loss_counters" jsonb;--> statement-breakpoint
ALTER TABLE "agent_hours" ADD CONSTRAINT "agent_hours_node_id_nodes_id_fk" FOREIGN KEY ("node_id") REFERENCES "public"."nodes"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "agent_hours_hour_idx" ON "agent_hours" USING brin ("hour_at") WITH (pages_per_range=32);