"""Tests of a first hour with Ludens: scripts of commands and what they must print, one for each kind of user."""
