ALTER TABLE "changes" ADD COLUMN "apply_request" jsonb;--> statement-breakpoint
ALTER TABLE "changes" ADD COLUMN "rollout" jsonb;--> statement-breakpoint
CREATE INDEX "changes_due_idx" ON "changes" USING btree ("state") WHERE state in ('applying', 'awaiting_confirmation', 'rolling_back') or apply_request is not null;