CREATE TABLE "collector_processes" (
	"id" text PRIMARY KEY NOT NULL,
	"listens" text NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	"seen_at" timestamp with time zone NOT NULL,
	"datagrams" bigint DEFAULT 0 NOT NULL,
	"refused" bigint DEFAULT 0 NOT NULL,
	"unreadable" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "flow_exporter_status" (
	"exporter_id" uuid PRIMARY KEY NOT NULL,
	"last_seen_at" timestamp with time zone NOT NULL,
	"protocol" text,
	"sampling" double precision,
	"last_batch" uuid,
	"datagrams" bigint DEFAULT 0 NOT NULL,
	"records" bigint DEFAULT 0 NOT NULL,
	"stored" bigint DEFAULT 0 NOT NULL,
	"lost" bigint DEFAULT 0 NOT NULL,
	"unknown_templates" bigint DEFAULT 0 NOT NULL,
	"malformed" bigint DEFAULT 0 NOT NULL,
	"untimed" bigint DEFAULT 0 NOT NULL,
	"superseded" bigint DEFAULT 0 NOT NULL,
	"dropped" bigint DEFAULT 0 NOT NULL,
	"sampled" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "flow_exporter_status_protocol" CHECK ("flow_exporter_status"."protocol" in ('netflow9', 'ipfix', 'sflow'))
);
--> statement-breakpoint
CREATE TABLE "flow_exporters" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"address" "inet" NOT NULL,
	"cluster_id" uuid NOT NULL,
	"node_id" uuid,
	"enabled" boolean DEFAULT true NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "flow_exporters_name_key" UNIQUE("name"),
	CONSTRAINT "flow_exporters_address_key" UNIQUE("address"),
	CONSTRAINT "flow_exporters_node_key" UNIQUE("node_id")
);
--> statement-breakpoint
CREATE TABLE "refused_senders" (
	"address" "inet" PRIMARY KEY NOT NULL,
	"datagrams" bigint DEFAULT 0 NOT NULL,
	"first_seen_at" timestamp with time zone NOT NULL,
	"last_seen_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "flow_exporter_status" ADD CONSTRAINT "flow_exporter_status_exporter_id_flow_exporters_id_fk" FOREIGN KEY ("exporter_id") REFERENCES "public"."flow_exporters"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "flow_exporters" ADD CONSTRAINT "flow_exporters_cluster_id_clusters_id_fk" FOREIGN KEY ("cluster_id") REFERENCES "public"."clusters"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "flow_exporters" ADD CONSTRAINT "flow_exporters_node_id_nodes_id_fk" FOREIGN KEY ("node_id") REFERENCES "public"."nodes"("id") ON DELETE set null ON UPDATE no action;