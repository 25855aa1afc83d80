CREATE TABLE "flow_complete_hours" (
	"bucket_at" timestamp with time zone NOT NULL,
	"cluster_id" uuid NOT NULL,
	CONSTRAINT "flow_complete_hours_bucket_at_cluster_id_pk" PRIMARY KEY("bucket_at","cluster_id")
);
--> statement-breakpoint
CREATE TABLE "flow_hour_totals" (
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
	"flows" bigint DEFAULT 0 NOT NULL,
	"last_counted_at" timestamp with time zone NOT NULL,
	"last_reported_at" timestamp with time zone NOT NULL,
	CONSTRAINT "flow_hour_totals_bucket_at_cluster_id_rollup_key_pk" PRIMARY KEY("bucket_at","cluster_id","rollup_key")
);
--> statement-breakpoint
-- Who takes marks away has made other totals than those of the hour: maps read its minutes until the totals are made again. Also a process
-- of an earlier version does so, which knows nothing of them.
CREATE FUNCTION forget_hour_totals() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM flow_complete_hours AS h USING (
    SELECT DISTINCT cluster_id, date_trunc('hour', bucket_at, 'UTC') AS bucket_at FROM gone) AS g
    WHERE h.cluster_id = g.cluster_id AND h.bucket_at = g.bucket_at;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER traffic_marks_forget AFTER DELETE ON traffic_marks
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forget_hour_totals();
