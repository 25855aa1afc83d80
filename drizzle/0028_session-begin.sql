ALTER TABLE "refresh_tokens" ADD COLUMN "begun_at" timestamp with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
-- A sign-in began with the first of its tokens that is still kept.
update refresh_tokens set begun_at = families.at
from (select family_id, min(created_at) as at from refresh_tokens group by family_id) families
where families.family_id = refresh_tokens.family_id;
