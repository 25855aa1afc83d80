CREATE TABLE "notification_secrets" (
	"id" text PRIMARY KEY NOT NULL,
	"value_encrypted" text NOT NULL,
	"secret_key_id" text NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
