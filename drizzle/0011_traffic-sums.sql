CREATE TABLE "traffic_by_workload" (
	"bucket_seconds" integer NOT NULL,
	"bucket_at" timestamp with time zone NOT NULL,
	"cluster_id" uuid NOT NULL,
	"decision" text NOT NULL,
	"workload_id" uuid NOT NULL,
	"bytes_in" bigint DEFAULT 0 NOT NULL,
	"bytes_out" bigint DEFAULT 0 NOT NULL,
	"packets_in" bigint DEFAULT 0 NOT NULL,
	"packets_out" bigint DEFAULT 0 NOT NULL,
	"flows" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "traffic_by_workload_key" PRIMARY KEY("bucket_seconds","bucket_at","workload_id","decision")
);
--> statement-breakpoint
CREATE TABLE "traffic_marks" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "traffic_marks_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"cluster_id" uuid NOT NULL,
	"bucket_at" timestamp with time zone NOT NULL,
	"marked_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "traffic_owners" (
	"workload_id" uuid PRIMARY KEY NOT NULL,
	"tenant_id" uuid,
	"gone_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "traffic_totals" (
	"bucket_seconds" integer NOT NULL,
	"bucket_at" timestamp with time zone NOT NULL,
	"cluster_id" uuid NOT NULL,
	"decision" text NOT NULL,
	"source_tenant_id" uuid,
	"destination_tenant_id" uuid,
	"bytes" bigint DEFAULT 0 NOT NULL,
	"packets" bigint DEFAULT 0 NOT NULL,
	"flows" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "traffic_totals_key" UNIQUE NULLS NOT DISTINCT("bucket_seconds","bucket_at","cluster_id","decision","source_tenant_id","destination_tenant_id")
);
--> statement-breakpoint
-- The newest buckets are written again every few seconds: room on each page for the next version of all its rows.
ALTER TABLE "traffic_by_workload" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
ALTER TABLE "traffic_totals" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
--> statement-breakpoint
-- What was stored before these tables existed.
INSERT INTO "traffic_marks" ("cluster_id", "bucket_at")
SELECT DISTINCT cluster_id, date_bin('5 minutes', bucket_at, 'epoch'::timestamptz) FROM flow_rollup_minutes
UNION
SELECT DISTINCT cluster_id, bucket_at FROM flow_rollup_hours;
