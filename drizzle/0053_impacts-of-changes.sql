ALTER TABLE "impacts" ADD COLUMN "change_id" uuid;--> statement-breakpoint
ALTER TABLE "impacts" ADD CONSTRAINT "impacts_change_id_changes_id_fk" FOREIGN KEY ("change_id") REFERENCES "public"."changes"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "impacts_change_idx" ON "impacts" USING btree ("change_id") WHERE "impacts"."change_id" is not null;