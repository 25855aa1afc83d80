CREATE TABLE "flow_unresolved_minutes" (
	"node_id" uuid NOT NULL,
	"bucket_at" timestamp with time zone NOT NULL,
	"rollup_key" uuid NOT NULL,
	"flow_key" uuid NOT NULL,
	"bytes" bigint DEFAULT 0 NOT NULL,
	"packets" bigint DEFAULT 0 NOT NULL,
	"flows" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "flow_unresolved_minutes_key" PRIMARY KEY("node_id","bucket_at","rollup_key","flow_key")
);
--> statement-breakpoint
CREATE INDEX "flow_unresolved_minutes_bucket_idx" ON "flow_unresolved_minutes" USING brin ("bucket_at") WITH (pages_per_range=32);