ALTER TABLE "refresh_tokens" ADD COLUMN "reuse_detected" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "notification_channels" ADD COLUMN "template" text DEFAULT 'fabric' NOT NULL;--> statement-breakpoint
ALTER TABLE "notification_channels" ADD COLUMN "time_zone" text;--> statement-breakpoint
ALTER TABLE "notification_channels" ADD CONSTRAINT "notification_channels_template" CHECK ("notification_channels"."template" in ('fabric', 'slack', 'teams', 'pagerduty', 'alertmanager'));