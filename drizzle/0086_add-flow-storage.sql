CREATE TABLE "flow_storage" (
	"engine" text NOT NULL,
	"since" timestamp with time zone DEFAULT now() NOT NULL
);
