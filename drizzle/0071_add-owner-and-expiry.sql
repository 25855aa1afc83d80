ALTER TABLE "policies" ADD COLUMN "owner" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "policies" ADD COLUMN "ticket" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "policies" ADD COLUMN "expires_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "security_rules" ADD COLUMN "owner" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "security_rules" ADD COLUMN "ticket" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "security_rules" ADD COLUMN "expires_at" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "policies_expires_idx" ON "policies" USING btree ("expires_at") WHERE expires_at is not null;--> statement-breakpoint
CREATE INDEX "security_rules_expires_idx" ON "security_rules" USING btree ("expires_at") WHERE expires_at is not null;--> statement-breakpoint
SELECT track_history('policies', '{id}', 'created_at', '{updated_at}', '{}');
--> statement-breakpoint
SELECT track_history('security_rules', '{id}', 'created_at', '{updated_at}', '{}');
--> statement-breakpoint
UPDATE past_policies SET owner = '', ticket = '' WHERE owner IS NULL;
--> statement-breakpoint
UPDATE past_security_rules SET owner = '', ticket = '' WHERE owner IS NULL;
