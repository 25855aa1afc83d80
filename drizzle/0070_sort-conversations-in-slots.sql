-- Room for the new versions of rows that are updated every half a minute: in a full page each would move, and change all indexes.
ALTER TABLE "traffic_conversations" SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.1);--> statement-breakpoint
DROP INDEX "traffic_conversations_seen_idx";--> statement-breakpoint
DROP INDEX "traffic_conversations_size_idx";--> statement-breakpoint
ALTER TABLE "traffic_conversations" drop column "size_class";--> statement-breakpoint
ALTER TABLE "traffic_conversations" ADD COLUMN "size_class" smallint GENERATED ALWAYS AS (case when bytes is null then -1 else floor(ln(greatest(bytes, 1)::float8) / ln(4::float8)) end::smallint) STORED;--> statement-breakpoint
CREATE INDEX "traffic_conversations_seen_idx" ON "traffic_conversations" USING btree ("seen_slot","size_class");--> statement-breakpoint
CREATE INDEX "traffic_conversations_size_idx" ON "traffic_conversations" USING btree ("size_class","seen_slot");
