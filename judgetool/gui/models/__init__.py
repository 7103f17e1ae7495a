"""What lists show: Qt models over the session, and the plain values in their rows."""
