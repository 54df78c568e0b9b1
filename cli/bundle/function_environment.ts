import { takeEnvironment } from "../lambda/isolation/passed_environment.ts";

takeEnvironment();
