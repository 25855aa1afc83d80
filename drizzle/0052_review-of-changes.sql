ALTER TABLE "changes" ADD COLUMN "compiled" jsonb;--> statement-breakpoint
ALTER TABLE "changes" ADD COLUMN "changed_since_review" jsonb;