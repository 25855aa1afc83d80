ALTER TABLE "policy_tests" ADD COLUMN "template" text;--> statement-breakpoint
ALTER TABLE "policy_tests" ADD CONSTRAINT "policy_tests_template_key" UNIQUE("template");--> statement-breakpoint
ALTER TABLE "policy_tests" ADD CONSTRAINT "policy_tests_template" CHECK (("policy_tests"."template" is not null) = "policy_tests"."protected");