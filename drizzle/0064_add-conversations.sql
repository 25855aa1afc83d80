CREATE TABLE "traffic_conversations" (
	"id" uuid PRIMARY KEY NOT NULL,
	"conversation_key" uuid NOT NULL,
	"ordinal" integer NOT NULL,
	"is_final" boolean DEFAULT false NOT NULL,
	"cluster_id" uuid NOT NULL,
	"client_ip" "inet" NOT NULL,
	"server_ip" "inet" NOT NULL,
	"protocol" text NOT NULL,
	"client_port" integer,
	"server_port" integer,
	"service_port" integer,
	"is_client_known" boolean NOT NULL,
	"client_workload_id" uuid,
	"server_workload_id" uuid,
	"client_cidr" "cidr",
	"server_cidr" "cidr",
	"workload_id" uuid,
	"nic" smallint,
	"icmp_type" smallint,
	"icmp_code" smallint,
	"bytes" bigint,
	"packets" bigint,
	"client_bytes" bigint,
	"client_packets" bigint,
	"server_bytes" bigint,
	"server_packets" bigint,
	"action" text NOT NULL,
	"decision" text NOT NULL,
	"is_closed" boolean NOT NULL,
	"node_ids" uuid[] NOT NULL,
	"first_seen_at" timestamp with time zone NOT NULL,
	"last_seen_at" timestamp with time zone NOT NULL,
	"seen_slot" timestamp with time zone GENERATED ALWAYS AS (date_bin('5 minutes'::interval, last_seen_at, '2000-01-01 00:00:00+00'::timestamptz)) STORED,
	"size_class" smallint GENERATED ALWAYS AS (case when bytes is null then -1 else floor(ln(greatest(bytes, 1)::float8) * 2) end::smallint) STORED,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"is_merge_due" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
ALTER TABLE "traffic_flows" ADD COLUMN "conversation_id" uuid;--> statement-breakpoint
CREATE INDEX "traffic_conversations_key_idx" ON "traffic_conversations" USING btree ("conversation_key");--> statement-breakpoint
CREATE INDEX "traffic_conversations_seen_idx" ON "traffic_conversations" USING btree ("seen_slot");--> statement-breakpoint
CREATE INDEX "traffic_conversations_last_seen_idx" ON "traffic_conversations" USING brin ("last_seen_at") WITH (pages_per_range=32,autosummarize=true);--> statement-breakpoint
CREATE INDEX "traffic_conversations_size_idx" ON "traffic_conversations" USING btree ("size_class","seen_slot");--> statement-breakpoint
CREATE INDEX "traffic_conversations_client_idx" ON "traffic_conversations" USING btree ("client_workload_id","seen_slot") WHERE client_workload_id is not null;--> statement-breakpoint
CREATE INDEX "traffic_conversations_server_idx" ON "traffic_conversations" USING btree ("server_workload_id","seen_slot") WHERE server_workload_id is not null;--> statement-breakpoint
CREATE INDEX "traffic_conversations_seen_by_idx" ON "traffic_conversations" USING btree ("workload_id","seen_slot") WHERE workload_id is not null and client_workload_id is null and server_workload_id is null;--> statement-breakpoint
CREATE INDEX "traffic_conversations_service_idx" ON "traffic_conversations" USING btree ("service_port","seen_slot");--> statement-breakpoint
CREATE INDEX "traffic_conversations_denied_idx" ON "traffic_conversations" USING btree ("seen_slot") WHERE action in ('dropped', 'rejected');--> statement-breakpoint
CREATE INDEX "traffic_conversations_merge_idx" ON "traffic_conversations" USING btree ("conversation_key") WHERE is_merge_due;--> statement-breakpoint
CREATE INDEX "traffic_flows_conversation_idx" ON "traffic_flows" USING btree ("conversation_id") WHERE conversation_id is not null;--> statement-breakpoint
CREATE INDEX "traffic_flows_unassigned_idx" ON "traffic_flows" USING btree ("node_id") WHERE conversation_id is null;