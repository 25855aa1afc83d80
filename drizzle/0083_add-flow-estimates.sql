CREATE TABLE "flow_estimates" (
	"exporter_id" uuid NOT NULL,
	"bucket_at" timestamp with time zone NOT NULL,
	"estimate_key" uuid NOT NULL,
	"source_workload_id" uuid,
	"destination_workload_id" uuid,
	"source_prefix" "cidr",
	"destination_prefix" "cidr",
	"source_internal" boolean NOT NULL,
	"destination_internal" boolean NOT NULL,
	"protocol" text,
	"service_port" integer,
	"bytes" bigint DEFAULT 0 NOT NULL,
	"packets" bigint DEFAULT 0 NOT NULL,
	"samples" bigint DEFAULT 0 NOT NULL,
	"variance" double precision DEFAULT 0 NOT NULL,
	CONSTRAINT "flow_estimates_key" PRIMARY KEY("exporter_id","bucket_at","estimate_key"),
	CONSTRAINT "flow_estimates_prefixes" CHECK (("flow_estimates"."source_prefix" is null) = ("flow_estimates"."destination_prefix" is null) and ("flow_estimates"."source_prefix" is null) = ("flow_estimates"."protocol" is null))
);
--> statement-breakpoint
ALTER TABLE "flow_exporter_status" DROP CONSTRAINT "flow_exporter_status_protocol";--> statement-breakpoint
ALTER TABLE "flow_exporter_status" ADD COLUMN "estimated" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "flow_exporter_status" ADD COLUMN "folded" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "flow_estimates" ADD CONSTRAINT "flow_estimates_exporter_id_flow_exporters_id_fk" FOREIGN KEY ("exporter_id") REFERENCES "public"."flow_exporters"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "flow_estimates_bucket_idx" ON "flow_estimates" USING brin ("bucket_at") WITH (pages_per_range=32,autosummarize=true);--> statement-breakpoint
ALTER TABLE "flow_exporter_status" ADD CONSTRAINT "flow_exporter_status_protocol" CHECK ("flow_exporter_status"."protocol" in ('netflow9', 'ipfix', 'sflow'));