DROP INDEX "deployments_one_waiting";--> statement-breakpoint
ALTER TABLE "deployment_guests" ADD COLUMN "dormant" jsonb;--> statement-breakpoint
ALTER TABLE "deployment_guests" ADD COLUMN "difference" jsonb;--> statement-breakpoint
ALTER TABLE "deployments" ADD COLUMN "fingerprints" jsonb;--> statement-breakpoint
CREATE UNIQUE INDEX "deployments_one_waiting" ON "deployments" USING btree ("policy_id","cluster_id","kind") WHERE status = 'queued' and retry_of is null and fingerprints is null;