ALTER TABLE "traffic_owners" ADD COLUMN "newest_owner" bigint;--> statement-breakpoint
UPDATE "traffic_owners" SET "newest_owner" = h.newest FROM (SELECT "workload_id", max("id") AS newest FROM "workload_owners" GROUP BY "workload_id") AS h
WHERE h."workload_id" = "traffic_owners"."workload_id";
