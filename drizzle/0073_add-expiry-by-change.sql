CREATE TABLE "owner_reminders" (
	"id" uuid PRIMARY KEY NOT NULL,
	"policy_id" uuid NOT NULL,
	"subject_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"due_at" timestamp with time zone NOT NULL,
	"user_id" uuid NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "owner_reminders_once" UNIQUE("policy_id","subject_id","kind","due_at","user_id"),
	CONSTRAINT "owner_reminders_kind" CHECK ("owner_reminders"."kind" in ('expiring', 'expired'))
);
--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "on_expiry" text DEFAULT 'report' NOT NULL;--> statement-breakpoint
ALTER TABLE "changes" ADD COLUMN "expiry" jsonb;--> statement-breakpoint
ALTER TABLE "policies" ADD COLUMN "expiry_problem" text;--> statement-breakpoint
ALTER TABLE "owner_reminders" ADD CONSTRAINT "owner_reminders_policy_id_policies_id_fk" FOREIGN KEY ("policy_id") REFERENCES "public"."policies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "owner_reminders" ADD CONSTRAINT "owner_reminders_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "owner_reminders_user_idx" ON "owner_reminders" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "changes_expiry_idx" ON "changes" USING btree ("state") WHERE expiry is not null;--> statement-breakpoint
ALTER TABLE "tenants" ADD CONSTRAINT "tenants_on_expiry" CHECK ("tenants"."on_expiry" in ('report', 'remove'));--> statement-breakpoint
SELECT track_history('tenants', '{id}', 'created_at', '{updated_at}', '{}');
--> statement-breakpoint
SELECT track_history('policies', '{id}', 'created_at', '{updated_at}', '{}');
--> statement-breakpoint
UPDATE past_tenants SET on_expiry = 'report' WHERE on_expiry IS NULL;
