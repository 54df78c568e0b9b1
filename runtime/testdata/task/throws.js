throw new RangeError("no such configuration");
