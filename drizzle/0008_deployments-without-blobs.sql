ALTER TABLE "deployments" DROP COLUMN "plan";--> statement-breakpoint
ALTER TABLE "deployments" DROP COLUMN "state_before";--> statement-breakpoint
ALTER TABLE "deployments" DROP COLUMN "results";