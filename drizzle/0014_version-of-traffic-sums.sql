CREATE TABLE "traffic_version" (
	"version" bigint NOT NULL
);
--> statement-breakpoint
INSERT INTO "traffic_version" ("version") VALUES (0);
