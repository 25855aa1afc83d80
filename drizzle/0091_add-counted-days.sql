CREATE TABLE "flow_counted_days" (
	"day_at" timestamp with time zone PRIMARY KEY NOT NULL,
	"rows" bigint NOT NULL
);
--> statement-breakpoint
-- Who takes marks away has made totals again: what counts of the hour and of its day is made again, too. Until then hours are read.
CREATE OR REPLACE FUNCTION forget_hour_totals() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM flow_complete_hours AS h USING (
    SELECT DISTINCT cluster_id, date_trunc('hour', bucket_at, 'UTC') AS bucket_at FROM gone) AS g
    WHERE h.cluster_id = g.cluster_id AND h.bucket_at = g.bucket_at;
  DELETE FROM flow_counted_days WHERE day_at IN (SELECT date_trunc('day', bucket_at, 'UTC') FROM gone);
  RETURN NULL;
END $$;
