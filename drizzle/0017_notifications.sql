CREATE TABLE "notification_channels" (
	"id" uuid PRIMARY KEY NOT NULL,
	"tenant_id" uuid,
	"name" text NOT NULL,
	"kind" text NOT NULL,
	"enabled" boolean DEFAULT true NOT NULL,
	"url_origin" text,
	"url_encrypted" text,
	"signing_secret_encrypted" text,
	"secret_key_id" text,
	"recipients" text[] DEFAULT '{}' NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "notification_channels_name_key" UNIQUE NULLS NOT DISTINCT("tenant_id","name"),
	CONSTRAINT "notification_channels_kind" CHECK ("notification_channels"."kind" in ('webhook', 'email')),
	CONSTRAINT "notification_channels_webhook" CHECK (("notification_channels"."kind" = 'webhook') = ("notification_channels"."url_encrypted" is not null and "notification_channels"."url_origin" is not null
        and "notification_channels"."signing_secret_encrypted" is not null and "notification_channels"."secret_key_id" is not null)),
	CONSTRAINT "notification_channels_email" CHECK (("notification_channels"."kind" = 'email') = (cardinality("notification_channels"."recipients") > 0))
);
--> statement-breakpoint
CREATE TABLE "notification_deliveries" (
	"id" uuid PRIMARY KEY NOT NULL,
	"notification_id" uuid NOT NULL,
	"tenant_id" uuid,
	"channel_id" uuid,
	"channel_name" text NOT NULL,
	"channel_kind" text NOT NULL,
	"status" text NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp with time zone,
	"lease_owner" uuid,
	"lease_at" timestamp with time zone,
	"response_status" integer,
	"error" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"finished_at" timestamp with time zone,
	CONSTRAINT "notification_deliveries_once" UNIQUE("notification_id","channel_id"),
	CONSTRAINT "notification_deliveries_status" CHECK ("notification_deliveries"."status" in ('queued', 'sending', 'sent', 'failed')),
	CONSTRAINT "notification_deliveries_finished" CHECK (("notification_deliveries"."finished_at" is not null) = ("notification_deliveries"."status" in ('sent', 'failed'))),
	CONSTRAINT "notification_deliveries_due" CHECK (("notification_deliveries"."next_attempt_at" is null) = ("notification_deliveries"."status" in ('sent', 'failed')))
);
--> statement-breakpoint
CREATE TABLE "notification_incidents" (
	"id" uuid PRIMARY KEY NOT NULL,
	"rule_id" uuid NOT NULL,
	"condition" text NOT NULL,
	"key" text NOT NULL,
	"object_kind" text NOT NULL,
	"object_id" text,
	"object_name" text NOT NULL,
	"detail" text NOT NULL,
	"status" text NOT NULL,
	"first_seen_at" timestamp with time zone NOT NULL,
	"clear_since" timestamp with time zone,
	"flaps" integer DEFAULT 0 NOT NULL,
	"opened_at" timestamp with time zone,
	"closed_at" timestamp with time zone,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "notification_incidents_status" CHECK ("notification_incidents"."status" in ('pending', 'open', 'closed')),
	CONSTRAINT "notification_incidents_opened" CHECK (("notification_incidents"."opened_at" is not null) = ("notification_incidents"."status" <> 'pending')),
	CONSTRAINT "notification_incidents_closed" CHECK (("notification_incidents"."closed_at" is not null) = ("notification_incidents"."status" = 'closed'))
);
--> statement-breakpoint
CREATE TABLE "notification_marks" (
	"user_id" uuid PRIMARY KEY NOT NULL,
	"read_through" uuid NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "notification_reads" (
	"user_id" uuid NOT NULL,
	"notification_id" uuid NOT NULL,
	"read_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "notification_reads_pair" PRIMARY KEY("user_id","notification_id")
);
--> statement-breakpoint
CREATE TABLE "notification_rule_channels" (
	"rule_id" uuid NOT NULL,
	"channel_id" uuid NOT NULL,
	CONSTRAINT "notification_rule_channels_pair" PRIMARY KEY("rule_id","channel_id")
);
--> statement-breakpoint
CREATE TABLE "notification_rules" (
	"id" uuid PRIMARY KEY NOT NULL,
	"tenant_id" uuid,
	"name" text NOT NULL,
	"enabled" boolean DEFAULT true NOT NULL,
	"conditions" text[] NOT NULL,
	"open_after_minutes" integer NOT NULL,
	"close_after_minutes" integer NOT NULL,
	"notify_recovery" boolean DEFAULT true NOT NULL,
	"in_app" boolean DEFAULT true NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "notification_rules_name_key" UNIQUE NULLS NOT DISTINCT("tenant_id","name"),
	CONSTRAINT "notification_rules_conditions" CHECK (cardinality("notification_rules"."conditions") > 0),
	CONSTRAINT "notification_rules_minutes" CHECK ("notification_rules"."open_after_minutes" >= 0 and "notification_rules"."close_after_minutes" >= 0)
);
--> statement-breakpoint
CREATE TABLE "notifications" (
	"id" uuid PRIMARY KEY NOT NULL,
	"tenant_id" uuid,
	"user_id" uuid,
	"rule_id" uuid,
	"rule_name" text,
	"event" text NOT NULL,
	"condition" text,
	"title" text NOT NULL,
	"detail" text NOT NULL,
	"items" jsonb NOT NULL,
	"items_total" integer NOT NULL,
	"in_app" boolean NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "notifications_event" CHECK ("notifications"."event" in ('opened', 'closed', 'test')),
	CONSTRAINT "notifications_condition" CHECK (("notifications"."condition" is null) = ("notifications"."event" = 'test'))
);
--> statement-breakpoint
ALTER TABLE "notification_channels" ADD CONSTRAINT "notification_channels_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notification_deliveries" ADD CONSTRAINT "notification_deliveries_notification_id_notifications_id_fk" FOREIGN KEY ("notification_id") REFERENCES "public"."notifications"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notification_deliveries" ADD CONSTRAINT "notification_deliveries_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notification_deliveries" ADD CONSTRAINT "notification_deliveries_channel_id_notification_channels_id_fk" FOREIGN KEY ("channel_id") REFERENCES "public"."notification_channels"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notification_incidents" ADD CONSTRAINT "notification_incidents_rule_id_notification_rules_id_fk" FOREIGN KEY ("rule_id") REFERENCES "public"."notification_rules"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notification_marks" ADD CONSTRAINT "notification_marks_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notification_reads" ADD CONSTRAINT "notification_reads_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notification_reads" ADD CONSTRAINT "notification_reads_notification_id_notifications_id_fk" FOREIGN KEY ("notification_id") REFERENCES "public"."notifications"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notification_rule_channels" ADD CONSTRAINT "notification_rule_channels_rule_id_notification_rules_id_fk" FOREIGN KEY ("rule_id") REFERENCES "public"."notification_rules"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notification_rule_channels" ADD CONSTRAINT "notification_rule_channels_channel_id_notification_channels_id_fk" FOREIGN KEY ("channel_id") REFERENCES "public"."notification_channels"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notification_rules" ADD CONSTRAINT "notification_rules_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_rule_id_notification_rules_id_fk" FOREIGN KEY ("rule_id") REFERENCES "public"."notification_rules"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "notification_deliveries_due_idx" ON "notification_deliveries" USING btree ("next_attempt_at") WHERE status in ('queued', 'sending');--> statement-breakpoint
CREATE INDEX "notification_deliveries_tenant_idx" ON "notification_deliveries" USING btree ("tenant_id","id");--> statement-breakpoint
CREATE INDEX "notification_deliveries_channel_idx" ON "notification_deliveries" USING btree ("channel_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "notification_incidents_one_active" ON "notification_incidents" USING btree ("rule_id","condition","key") WHERE status in ('pending', 'open');--> statement-breakpoint
CREATE INDEX "notification_incidents_status_idx" ON "notification_incidents" USING btree ("status","id");--> statement-breakpoint
CREATE INDEX "notification_incidents_closed_idx" ON "notification_incidents" USING btree ("closed_at") WHERE closed_at is not null;--> statement-breakpoint
CREATE INDEX "notification_reads_notification_idx" ON "notification_reads" USING btree ("notification_id");--> statement-breakpoint
CREATE INDEX "notification_rule_channels_channel_idx" ON "notification_rule_channels" USING btree ("channel_id");--> statement-breakpoint
CREATE INDEX "notifications_tenant_idx" ON "notifications" USING btree ("tenant_id","id");--> statement-breakpoint
CREATE INDEX "notifications_user_idx" ON "notifications" USING btree ("user_id") WHERE user_id is not null;--> statement-breakpoint
CREATE INDEX "notifications_rule_idx" ON "notifications" USING btree ("rule_id");--> statement-breakpoint
CREATE INDEX "notifications_created_idx" ON "notifications" USING btree ("created_at");