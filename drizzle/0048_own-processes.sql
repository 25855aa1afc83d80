CREATE TABLE "own_processes" (
	"id" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"report" jsonb NOT NULL,
	"reported_at" timestamp with time zone NOT NULL,
	CONSTRAINT "own_processes_kind" CHECK ("own_processes"."kind" in ('web', 'worker'))
);
