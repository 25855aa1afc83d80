CREATE TABLE "refused_flows" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "refused_flows_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"node_id" uuid NOT NULL,
	"cluster_id" uuid NOT NULL,
	"token" uuid NOT NULL,
	"target" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"refused_at" timestamp with time zone DEFAULT now() NOT NULL,
	"reason" text NOT NULL,
	"row_count" integer NOT NULL,
	"buckets" timestamp with time zone[] NOT NULL,
	"rows" "bytea" NOT NULL
);
