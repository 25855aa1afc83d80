ALTER TABLE "notification_channels" ADD COLUMN "previous_secret_encrypted" text;--> statement-breakpoint
ALTER TABLE "notification_channels" ADD COLUMN "previous_secret_until" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "notification_channels" ADD CONSTRAINT "notification_channels_previous" CHECK (("notification_channels"."previous_secret_encrypted" is null) = ("notification_channels"."previous_secret_until" is null)
        and ("notification_channels"."previous_secret_encrypted" is null or "notification_channels"."kind" = 'webhook'));