CREATE TABLE "recertifications" (
	"id" uuid PRIMARY KEY NOT NULL,
	"policy_id" uuid NOT NULL,
	"policy_version" integer NOT NULL,
	"confirmed_at" timestamp with time zone NOT NULL,
	"user_id" uuid,
	"user_name" text NOT NULL,
	"note" text DEFAULT '' NOT NULL
);
--> statement-breakpoint
ALTER TABLE "owner_reminders" DROP CONSTRAINT "owner_reminders_kind";--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "recertification_days" integer;--> statement-breakpoint
ALTER TABLE "recertifications" ADD CONSTRAINT "recertifications_policy_id_policies_id_fk" FOREIGN KEY ("policy_id") REFERENCES "public"."policies"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "recertifications" ADD CONSTRAINT "recertifications_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "recertifications_policy_idx" ON "recertifications" USING btree ("policy_id","confirmed_at" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "recertifications_user_idx" ON "recertifications" USING btree ("user_id");--> statement-breakpoint
ALTER TABLE "tenants" ADD CONSTRAINT "tenants_recertification_days" CHECK ("tenants"."recertification_days" in (90, 180, 365));--> statement-breakpoint
ALTER TABLE "owner_reminders" ADD CONSTRAINT "owner_reminders_kind" CHECK ("owner_reminders"."kind" in ('expiring', 'expired', 'due', 'overdue'));--> statement-breakpoint
SELECT track_history('tenants', '{id}', 'created_at', '{updated_at}', '{}');
