CREATE TABLE "agent_enrolments" (
	"id" uuid PRIMARY KEY NOT NULL,
	"node_id" uuid NOT NULL,
	"token_hash" text NOT NULL,
	"created_by" uuid,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"used_at" timestamp with time zone,
	CONSTRAINT "agent_enrolments_token_key" UNIQUE("token_hash"),
	CONSTRAINT "agent_enrolments_life" CHECK ("agent_enrolments"."expires_at" > "agent_enrolments"."created_at")
);
--> statement-breakpoint
CREATE TABLE "agent_heartbeats" (
	"node_id" uuid NOT NULL,
	"boot_id" uuid NOT NULL,
	"sequence" bigint NOT NULL,
	"received_at" timestamp with time zone NOT NULL,
	"accepted" integer NOT NULL,
	"updated" integer NOT NULL,
	"rejected_count" integer NOT NULL,
	"rejected" jsonb NOT NULL,
	CONSTRAINT "agent_heartbeats_node_id_boot_id_sequence_pk" PRIMARY KEY("node_id","boot_id","sequence")
);
--> statement-breakpoint
CREATE TABLE "flow_rollup_hours" (
	"node_id" uuid NOT NULL,
	"bucket_at" timestamp with time zone NOT NULL,
	"rollup_key" uuid NOT NULL,
	"cluster_id" uuid NOT NULL,
	"source_workload_id" uuid,
	"destination_workload_id" uuid,
	"source_prefix" "cidr" NOT NULL,
	"destination_prefix" "cidr" NOT NULL,
	"source_internal" boolean NOT NULL,
	"destination_internal" boolean NOT NULL,
	"protocol" text NOT NULL,
	"service_port" integer,
	"reply" boolean NOT NULL,
	"decision" text NOT NULL,
	"bytes" bigint DEFAULT 0 NOT NULL,
	"packets" bigint DEFAULT 0 NOT NULL,
	"flows" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "flow_rollup_hours_node_id_bucket_at_rollup_key_pk" PRIMARY KEY("node_id","bucket_at","rollup_key")
);
--> statement-breakpoint
CREATE TABLE "flow_rollup_minutes" (
	"node_id" uuid NOT NULL,
	"bucket_at" timestamp with time zone NOT NULL,
	"rollup_key" uuid NOT NULL,
	"cluster_id" uuid NOT NULL,
	"source_workload_id" uuid,
	"destination_workload_id" uuid,
	"source_prefix" "cidr" NOT NULL,
	"destination_prefix" "cidr" NOT NULL,
	"source_internal" boolean NOT NULL,
	"destination_internal" boolean NOT NULL,
	"protocol" text NOT NULL,
	"service_port" integer,
	"reply" boolean NOT NULL,
	"decision" text NOT NULL,
	"bytes" bigint DEFAULT 0 NOT NULL,
	"packets" bigint DEFAULT 0 NOT NULL,
	"flows" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "flow_rollup_minutes_node_id_bucket_at_rollup_key_pk" PRIMARY KEY("node_id","bucket_at","rollup_key")
);
--> statement-breakpoint
CREATE TABLE "interface_samples" (
	"node_id" uuid NOT NULL,
	"name" text NOT NULL,
	"observed_at" timestamp with time zone NOT NULL,
	"kind" text NOT NULL,
	"vmid" integer,
	"nic" smallint,
	"workload_id" uuid,
	"rx_bytes" bigint NOT NULL,
	"rx_packets" bigint NOT NULL,
	"rx_errors" bigint NOT NULL,
	"rx_dropped" bigint NOT NULL,
	"tx_bytes" bigint NOT NULL,
	"tx_packets" bigint NOT NULL,
	"tx_errors" bigint NOT NULL,
	"tx_dropped" bigint NOT NULL,
	CONSTRAINT "interface_samples_node_id_name_observed_at_pk" PRIMARY KEY("node_id","name","observed_at")
);
--> statement-breakpoint
CREATE TABLE "interface_traffic" (
	"node_id" uuid NOT NULL,
	"interface" text NOT NULL,
	"observed_at" timestamp with time zone NOT NULL,
	"cluster_id" uuid NOT NULL,
	"vmid" integer NOT NULL,
	"nic" smallint NOT NULL,
	"workload_id" uuid,
	"rx_bytes" bigint NOT NULL,
	"rx_packets" bigint NOT NULL,
	"tx_bytes" bigint NOT NULL,
	"tx_packets" bigint NOT NULL,
	"bytes" bigint NOT NULL,
	"packets" bigint NOT NULL,
	"collector" text NOT NULL,
	CONSTRAINT "interface_traffic_node_id_interface_observed_at_pk" PRIMARY KEY("node_id","interface","observed_at")
);
--> statement-breakpoint
CREATE TABLE "traffic_flows" (
	"node_id" uuid NOT NULL,
	"flow_key" uuid NOT NULL,
	"cluster_id" uuid NOT NULL,
	"source_ip" "inet" NOT NULL,
	"destination_ip" "inet" NOT NULL,
	"protocol" text NOT NULL,
	"source_port" integer,
	"destination_port" integer,
	"decision" text NOT NULL,
	"state" text,
	"bytes" bigint,
	"packets" bigint,
	"first_seen_at" timestamp with time zone NOT NULL,
	"observed_at" timestamp with time zone NOT NULL,
	"collector" text NOT NULL,
	"initiator" text,
	"icmp_type" smallint,
	"icmp_code" smallint,
	"interface" text,
	"vmid" integer,
	"nic" smallint,
	"vlan" smallint,
	"workload_id" uuid,
	"source_workload_id" uuid,
	"destination_workload_id" uuid,
	"source_cidr" "cidr",
	"destination_cidr" "cidr",
	"raw" jsonb,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "traffic_flows_node_id_flow_key_pk" PRIMARY KEY("node_id","flow_key")
);
--> statement-breakpoint
ALTER TABLE "node_agents" ADD COLUMN "interval_seconds" integer;--> statement-breakpoint
ALTER TABLE "node_agents" ADD COLUMN "enrolled_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "agent_enrolments" ADD CONSTRAINT "agent_enrolments_node_id_nodes_id_fk" FOREIGN KEY ("node_id") REFERENCES "public"."nodes"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agent_heartbeats" ADD CONSTRAINT "agent_heartbeats_node_id_nodes_id_fk" FOREIGN KEY ("node_id") REFERENCES "public"."nodes"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "agent_enrolments_node_idx" ON "agent_enrolments" USING btree ("node_id");--> statement-breakpoint
CREATE INDEX "agent_heartbeats_received_idx" ON "agent_heartbeats" USING brin ("received_at") WITH (pages_per_range=32);--> statement-breakpoint
CREATE INDEX "flow_rollup_hours_bucket_idx" ON "flow_rollup_hours" USING brin ("bucket_at") WITH (pages_per_range=32,autosummarize=true);--> statement-breakpoint
CREATE INDEX "flow_rollup_minutes_bucket_idx" ON "flow_rollup_minutes" USING brin ("bucket_at") WITH (pages_per_range=32,autosummarize=true);--> statement-breakpoint
CREATE INDEX "interface_samples_observed_idx" ON "interface_samples" USING brin ("observed_at") WITH (pages_per_range=32);--> statement-breakpoint
CREATE INDEX "interface_traffic_observed_idx" ON "interface_traffic" USING brin ("observed_at") WITH (pages_per_range=32);--> statement-breakpoint
CREATE INDEX "traffic_flows_observed_idx" ON "traffic_flows" USING brin ("observed_at") WITH (pages_per_range=32,autosummarize=true);--> statement-breakpoint
CREATE INDEX "traffic_flows_source_idx" ON "traffic_flows" USING btree ("source_workload_id") WHERE source_workload_id is not null;--> statement-breakpoint
CREATE INDEX "traffic_flows_destination_idx" ON "traffic_flows" USING btree ("destination_workload_id") WHERE destination_workload_id is not null;--> statement-breakpoint
CREATE INDEX "traffic_flows_seen_by_idx" ON "traffic_flows" USING btree ("workload_id") WHERE workload_id is not null and source_workload_id is null and destination_workload_id is null;--> statement-breakpoint
-- Room on each page for the next version of a row, so that an update touches no index.
ALTER TABLE "traffic_flows" SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.1);
--> statement-breakpoint
ALTER TABLE "flow_rollup_minutes" SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
