DROP INDEX "changes_due_idx";--> statement-breakpoint
CREATE INDEX "changes_due_idx" ON "changes" USING btree ("state") WHERE state in ('applying', 'awaiting_confirmation', 'rolling_back', 'failed') or apply_request is not null;--> statement-breakpoint
ALTER TABLE "changes" DROP COLUMN "lease_owner";--> statement-breakpoint
ALTER TABLE "changes" DROP COLUMN "lease_at";--> statement-breakpoint
ALTER TABLE "changes" DROP COLUMN "attempts";