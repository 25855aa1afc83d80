CREATE TABLE "unconfirmed_flows" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "unconfirmed_flows_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"node_id" uuid NOT NULL,
	"cluster_id" uuid NOT NULL,
	"vmid" integer NOT NULL,
	"workload_id" uuid NOT NULL,
	"state" text DEFAULT 'waiting' NOT NULL,
	"placed_node_id" uuid,
	"received_at" timestamp with time zone NOT NULL,
	"observed_at" timestamp with time zone NOT NULL,
	"refused_at" timestamp with time zone,
	"report" jsonb NOT NULL,
	CONSTRAINT "unconfirmed_flows_state" CHECK ("unconfirmed_flows"."state" in ('waiting', 'refused'))
);
--> statement-breakpoint
CREATE TABLE "workload_placements" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "workload_placements_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"workload_id" uuid NOT NULL,
	"node_id" uuid NOT NULL,
	"seen_at" timestamp with time zone NOT NULL,
	"left_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "node_agents" ADD COLUMN "token_replacement" jsonb;--> statement-breakpoint
ALTER TABLE "node_agents" ADD COLUMN "refusal_recorded_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "agent_heartbeats" ADD COLUMN "unconfirmed" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "unconfirmed_flows" ADD CONSTRAINT "unconfirmed_flows_node_id_nodes_id_fk" FOREIGN KEY ("node_id") REFERENCES "public"."nodes"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "workload_placements" ADD CONSTRAINT "workload_placements_workload_id_workloads_id_fk" FOREIGN KEY ("workload_id") REFERENCES "public"."workloads"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "workload_placements" ADD CONSTRAINT "workload_placements_node_id_nodes_id_fk" FOREIGN KEY ("node_id") REFERENCES "public"."nodes"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "unconfirmed_flows_node_idx" ON "unconfirmed_flows" USING btree ("node_id","vmid");--> statement-breakpoint
CREATE INDEX "unconfirmed_flows_waiting_idx" ON "unconfirmed_flows" USING btree ("cluster_id","id") WHERE state = 'waiting';--> statement-breakpoint
CREATE INDEX "unconfirmed_flows_observed_idx" ON "unconfirmed_flows" USING brin ("observed_at") WITH (pages_per_range=32);--> statement-breakpoint
CREATE INDEX "workload_placements_workload_idx" ON "workload_placements" USING btree ("workload_id");--> statement-breakpoint
CREATE INDEX "workload_placements_node_idx" ON "workload_placements" USING btree ("node_id");--> statement-breakpoint
CREATE INDEX "workload_placements_left_idx" ON "workload_placements" USING brin ("left_at") WITH (pages_per_range=32);--> statement-breakpoint
-- Whoever writes the node of a workload, where it was before is kept. It was last known there when the cluster was last read, or
-- when a migration was first seen under way. A node that is deleted leaves no history.
CREATE FUNCTION record_placement() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO workload_placements (workload_id, node_id, seen_at, left_at)
  SELECT new.id, old.node_id, least(now(), coalesce(clusters.last_sync_at, old.updated_at),
    CASE WHEN old.lock = 'migrate' THEN old.updated_at END), now()
  FROM clusters, nodes WHERE clusters.id = new.cluster_id AND nodes.id = old.node_id;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER workloads_record_placement AFTER UPDATE OF node_id ON workloads FOR EACH ROW
  WHEN (old.node_id IS NOT NULL AND old.node_id IS DISTINCT FROM new.node_id) EXECUTE FUNCTION record_placement();
