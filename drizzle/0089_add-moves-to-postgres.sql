CREATE TABLE "moving_conversations" (
	"id" uuid PRIMARY KEY NOT NULL,
	"revision" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "moving_flows" (
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
	"reported_bytes" bigint,
	"reported_packets" bigint,
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
	"conversation_id" uuid,
	"raw" jsonb,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"conversation_key" uuid NOT NULL,
	"ordinal" integer NOT NULL,
	"is_final" boolean NOT NULL,
	"changed_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "moving_hours" (
	"node_id" uuid NOT NULL,
	"bucket_at" timestamp with time zone NOT NULL,
	"cluster_id" uuid NOT NULL,
	"rollup_key" uuid NOT NULL,
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
	"flows" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "moving_minutes" (
	"node_id" uuid NOT NULL,
	"bucket_at" timestamp with time zone NOT NULL,
	"cluster_id" uuid NOT NULL,
	"rollup_key" uuid NOT NULL,
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
	"flows" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "moving_parts" (
	"node_id" uuid NOT NULL,
	"bucket_at" timestamp with time zone NOT NULL,
	"rollup_key" uuid NOT NULL,
	"flow_key" uuid NOT NULL,
	"bytes" bigint DEFAULT 0 NOT NULL,
	"packets" bigint DEFAULT 0 NOT NULL,
	"flows" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
ALTER TABLE "flow_move_days" ADD COLUMN "position" text;--> statement-breakpoint
ALTER TABLE "traffic_conversations" ADD COLUMN "moved_revision" bigint;--> statement-breakpoint
CREATE INDEX "moving_flows_conversation_idx" ON "moving_flows" USING btree ("conversation_id");--> statement-breakpoint
-- A move copies conversations into the store that will have them before it is the one; only its own transactions say so.
CREATE OR REPLACE FUNCTION refuse_flows_elsewhere() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('fabric.copies_flows', true) IS DISTINCT FROM 'yes'
    AND EXISTS (SELECT FROM flow_storage WHERE engine <> TG_ARGV[0]) THEN
    RAISE EXCEPTION 'flows are stored in another store' USING ERRCODE = 'FS001';
  END IF;
  RETURN NULL;
END $$;
